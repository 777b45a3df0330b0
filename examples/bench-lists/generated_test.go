package lists

// Stage 3 believes that the loop was the mistake: its counter and its comparison. So the functions
// have a directive, and gyr makes a loop of three instructions that calls them. The less the loop
// costs, the clearer it is that nothing else is there. But a figure does not tell small from empty.
//
// Stage 4 believes that a profile says more: gyr bench -profile -bench Generated. All time is in
// the function that has the loop, and none in the allocator.
//
// Stage 5 believes nothing and looks: gyr bench asm GeneratedFixed prints the machine code with the
// operations that it was made from. There is no allocation among them.

//gyr:bench group=generated baseline
func generatedFixed() { _ = NewFixed() }

//gyr:bench group=generated
func generatedGrowable() { _ = NewGrowable() }
