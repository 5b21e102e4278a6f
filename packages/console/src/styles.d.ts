// Style sheets and fonts are imported for their side effects.
declare module '*.css';

// A file as text.
declare module '*?raw' {
  const text: string;
  export default text;
}

// The address of a file that is not part of a script.
declare module '*?url' {
  const address: string;
  export default address;
}
