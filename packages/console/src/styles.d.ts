// Style sheets and fonts are imported for their side effects.
declare module '*.css';

// A file as text.
declare module '*?raw' {
  const text: string;
  export default text;
}
