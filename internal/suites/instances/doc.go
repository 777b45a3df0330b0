// Package instances tests and measures many instances of a program: their mappings, address space,
// memory and time, and that resetting, making and closing them leaves nothing behind.
//
//	go test ./internal/suites/instances -run Many -v -instances 20000
//	go test ./internal/suites/instances -run Churn -v -resets 1000000 -cycles 100000
//	go test ./internal/suites/instances -run xxx -bench Instance
//	go test ./internal/suites/instances -run xxx -bench Parallel -benchtime 60x
package instances
