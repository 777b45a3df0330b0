// Package testevents works with the events of test runs: what gyr test -json prints, and go test -json too.
//
// A [Record] is made of events, one package after another. It can be printed as gyr test prints without
// -json ([Record.Text]), written as JUnit XML ([Record.JUnit]), and joined with the records of other
// machines ([Record.Merge]): gyr test -shard I/N divides the packages among N machines, and gyr test -merge
// brings the results together again. The times in it tell the next run how to divide ([Record.Times]).
package testevents
