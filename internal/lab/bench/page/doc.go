// Package page writes the report of a benchmark run as one page of HTML that needs nothing else: no network, no font, no library. It works
// from a file, under a policy (Content-Security-Policy) that lets nothing run or load but its own script and style, which are named by
// their hashes.
//
// # What is on it
//
// First the conclusions: notes, a table that can be sorted, and the comparisons as a forest plot with the band within which differences
// count as none. Then each benchmark, folded up: its figures, how its batches are distributed, how they went on in time, and, if it was profiled, where
// the time goes: a flame graph, and for the hottest functions source, IR and machine code side by side.
//
// # Drawing
//
// Drawings are SVG, made here (plot.go, forest.go, flame.go). Axes of times begin at 0; the reader switches to axes around
// the values with a box at the top. Both drawings are in the page, and the style shows one of them, so that it needs no script. The script (page.js) sorts,
// filters, links the panes of a listing and enlarges parts of flame graphs; without it the page is complete, if less handy.
//
// # Limits
//
// A page is opened by a browser and sent by mail: what is drawn of a record has limits (limits.go), and where one of them cuts
// something off, the page says so.
package page
