// The library parses JSON only here. Numbers that a double would round keep their text.
export { parseTrusted as parseJson } from '#base/json/parse-stored.ts';
export { stringify as formatJson } from '#base/json/stringify.ts';
