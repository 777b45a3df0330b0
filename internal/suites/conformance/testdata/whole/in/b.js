export async function* b(x) { for (const k in x) yield k } 
export const unused = () => 42;
