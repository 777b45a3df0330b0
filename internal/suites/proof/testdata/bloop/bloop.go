// Package bloop has nothing but its benchmarks.
package bloop
