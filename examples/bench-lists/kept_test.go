package lists

// Stage 6 returns the lists. What a function with a directive returns is kept: the compiler has to take it that somebody
// looks at it. So the list is made in every iteration. But the function is inlined into the loop, where nothing holds on to the
// list, and it is made in the frame: no heap, and 0 allocs/op in the table.

//gyr:bench group=returned baseline
func returnedFixed() *Fixed { return NewFixed() }

//gyr:bench group=returned
func returnedGrowable() *Growable { return NewGrowable() }

// What was asked is what a list costs that outlives the function which makes it. That function must not be inlined.

//gyr:bench group=allocated baseline inline=never
func allocatedFixed() *Fixed { return NewFixed() }

//gyr:bench group=allocated inline=never
func allocatedGrowable() *Growable { return NewGrowable() }
