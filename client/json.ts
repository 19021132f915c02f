// The only place where the library parses JSON. Numbers that a double would round keep their text.
export { parseTrusted as parseJson } from '#base/json/parse-stored.ts';
export { stringify as formatJson } from '#base/json/stringify.ts';
