package main

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

func main() {
	s, err := cron.ParseStandard("30 4 * * 1")
	fmt.Println(s.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), err)
}
