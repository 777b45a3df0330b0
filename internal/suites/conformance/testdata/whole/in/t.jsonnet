local fib(n) = if n < 2 then n else fib(n-1) + fib(n-2);
{ fib: fib(18), arr: [std.format('%05d', x * x) for x in std.range(1, 50)], s: std.sort([3,1,2]), m: { [k]: std.md5(k) for k in ['a', 'b'] } }
