package main

import "regexp"

func measureStatements(re *regexp.Regexp) ([]row, error) { return nil, nil }
