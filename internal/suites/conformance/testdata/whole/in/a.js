import {b} from './b.js'; export const f = async (x) => { for await (const y of b(x)) console.log(`${y}`); const {p, ...q} = x ?? {}; return q?.z ** 2 };
class A { #x = 1; get x() { return this.#x } static { console.log('s') } }
console.log(new A().x, f({z: 3}));
