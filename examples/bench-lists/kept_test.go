package lists

// Stage 6 returns the lists. The result of a function with a directive is kept: the compiler must
// assume that it is used. So every iteration makes the list. But the function is inlined into the
// loop, where nothing refers to the list any longer, so the list is made in the frame: no heap, and
// 0 allocs/op in the table.

//gyr:bench group=returned baseline
func returnedFixed() *Fixed { return NewFixed() }

//gyr:bench group=returned
func returnedGrowable() *Growable { return NewGrowable() }

// The question was the cost of a list that outlives the function that makes it. That function must
// not be inlined.

//gyr:bench group=allocated baseline inline=never
func allocatedFixed() *Fixed { return NewFixed() }

//gyr:bench group=allocated inline=never
func allocatedGrowable() *Growable { return NewGrowable() }
