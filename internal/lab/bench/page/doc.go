// Package page writes the report of a benchmark run as one page of HTML that needs nothing else: no
// network, no font, no library. It works from a file. Its policy (Content-Security-Policy) allows
// only its own script and style, which it names by their hashes. page.go writes the page from top
// to bottom.
//
// # What is on it
//
// First come the figures: a sortable table, and the comparisons as a forest plot with
// the band within which differences count as none. Each benchmark follows, folded up: its figures,
// the distribution of its batches, and their course in time. A profiled benchmark also shows where
// the time goes: a flame graph, and source, IR and machine code of the hottest functions side by
// side (listing.go).
//
// # Drawing
//
// This package draws in SVG (plot.go, forest.go, flame.go). Axes of times begin at 0. A box at the
// top switches to axes around the values. The page has both drawings, and the style shows one of
// them, so the box needs no script. The script (page.js) sorts, filters, links the panes of a
// listing and enlarges parts of flame graphs. Without it the page is complete, but less handy.
//
// # Limits
//
// Browsers have to open pages, and people send them by mail. So limits.go bounds how much of a
// record a page shows. Where a limit cuts something off, the page says so.
package page
