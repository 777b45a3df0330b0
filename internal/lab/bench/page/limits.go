package page

// Limits on how much of a record a page shows. A record of a hundred benchmarks in three engines
// has some megabytes of listings.
const (
	mostListings = 6      // of a profile, the hottest first
	mostCode     = 400    // instructions of a listing
	mostOnPage   = 20_000 // instructions on the page, counted by listings in the order of the page
	mostSource   = 400    // lines of source of a listing
	mostFrames   = 1_500  // of a flame graph
	leastFrame   = 0.004  // least share of the samples of a frame
	mostDepth    = 60     // stacked frames
	mostCompared = 80     // lines of a forest plot
	mostDots     = 30_000 // batches on the page; each is drawn four times
)
