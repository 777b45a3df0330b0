package main

import "flag"

func runBench(f *flag.FlagSet, args []string) error { return parse(f, args, 0, 0) }
