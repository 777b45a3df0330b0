// Package processes tests programs that start programs: random trees of processes with pipes, files,
// signals and exit codes, against native Go where the order is fixed, in both tiers and twice; and
// guests that try to get more out of it than they have.
package processes
