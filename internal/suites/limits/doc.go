// Package limits tests what a guest can cost its host: memory beyond the limit, hundreds of
// thousands of goroutines and stacks, the delay of a deadline, and the time of collections for each
// unit of gas.
//
// The guests are one program, testdata/guests, whose first argument selects one. Memory is measured
// in a child process: the peak of its resident set, above that of a program that does nothing
// (limits_test.go, stacks_test.go).
//
//	go test ./internal/suites/limits            samples
//	go test ./internal/suites/limits -large     full sizes: 5 million frames, 4 GiB, ten rounds of 100,000 goroutines
//	go test ./internal/suites/limits -run Cost -v   nanoseconds a unit of gas
//	go test ./internal/suites/limits -run Delay -v -delaysize 200 [-delay "sort strings"]
//	                                         how long a deadline may have to wait
//
// Sources can be hostile, too. TestBombs compiles each in a process of its own (bombsource_test.go
// has the sources, towers_test.go towers of types). TestWide compiles programs with large values
// (wideshapes_test.go).
//
//	go test ./internal/suites/limits -run Bombs -v [-large] [-bomb "doubled string"]
//	go test ./internal/suites/limits -run Wide -v -timeout 2h [-large] [-wide "strings/17/map key"]
package limits
