function fib(n) { return n < 2 ? n : fib(n-1) + fib(n-2) }
console.log(fib(22), [3,1,2].sort().map(x => x * x).join(), JSON.stringify({a: [1, {b: /x+/g.test('xx')}]}), new Date(0).toISOString());
let o = {}; for (let i = 0; i < 50000; i++) o['k' + i % 1000] = (o['k' + i % 1000] || 0) + i; console.log(Object.keys(o).length, o.k7);
