// Package limits holds the tests of what a guest can cost its host: memory
// beyond the limit, goroutines and stacks by the hundred thousand, the delay of a
// deadline, the time of collections for each unit of gas.
//
// The guests are one program, testdata/guests, whose first argument names what it
// does. Memory is measured in a child process: the peak of its resident set, above
// what it was after a program that does nothing.
//
//	go test ./internal/suites/limits            samples
//	go test ./internal/suites/limits -large     full sizes: 5 million frames, 4 GiB, ten rounds of 100,000 goroutines
//	go test ./internal/suites/limits -run Cost -v   nanoseconds a unit of gas
//	go test ./internal/suites/limits -run Delay -v -delaysize 200 [-delay "sort strings"]
//	                                         how long a deadline may have to wait
//
// Sources are hostile too. TestBombs compiles each in a process of its own:
//
//	go test ./internal/suites/limits -run Bombs -v [-large] [-bomb "doubled string"]
//	go test ./internal/suites/limits -run Wide -v -timeout 2h [-large] [-wide "strings/17/map key"]
package limits
