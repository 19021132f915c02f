/**
 * Descriptions of the members that objects of all custom kinds have. Clients search for the first words of each
 * description.
 */
export const MEMBERS = {
  apiVersion:
    'APIVersion defines the group and the version of the schema that this object is written in. Servers convert other versions that they know, and may refuse those that they do not.',
  kind: 'Kind is the name of what this object is, in upper camel case. Servers may tell it from where a client sends the object. It never changes.',
  metadata: "Standard object's metadata: its name, its namespace, its labels, and what the server keeps of it.",
} as const;
