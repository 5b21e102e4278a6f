// Loads a package of this folder, for a test that stands elsewhere.
export const load = (name) => import(name);
