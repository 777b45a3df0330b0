package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A Printed holds what a program printed about one metric.
type Printed struct {
	Name    string
	Unit    string    // empty if none was printed
	Samples []float64 // one a line
}

// MetricName reports whether a metric may have this name: letters, digits and _ . / µ -, without a
// minus at the beginning.
func MetricName(s string) bool {
	for i, c := range s {
		letter := c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)) || strings.ContainsRune("_./µ", c)
		if !letter && (c != '-' || i == 0) {
			return false
		}
	}
	return s != ""
}

// ReadMetrics finds the lines "METRIC name=value" and "METRIC name=value unit" in a program's
// output. It returns the metrics in the order of their first lines. Several lines of one name are
// several samples. Errors are: any other line that begins with METRIC, a value that is no finite
// number, and two units for one name. Otherwise a malformed metric could pass for a valid one.
func ReadMetrics(out []byte) ([]Printed, error) {
	var list []Printed
	index := map[string]int{}
	number := 0
	for line := range strings.Lines(string(out)) {
		number++
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "METRIC" {
			continue
		}
		m, err := parseMetric(f[1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		i, ok := index[m.Name]
		if !ok {
			index[m.Name] = len(list)
			list = append(list, m)
			continue
		}
		if list[i].Unit != m.Unit {
			return nil, fmt.Errorf("line %d: metric %s has the units %q and %q", number, m.Name, list[i].Unit, m.Unit)
		}
		list[i].Samples = append(list[i].Samples, m.Samples...)
	}
	return list, nil
}

// parseMetric reads the fields of a line after METRIC.
func parseMetric(f []string) (m Printed, err error) {
	if len(f) < 1 || len(f) > 2 {
		return m, fmt.Errorf("a METRIC line has the form name=value or name=value unit")
	}
	name, text, ok := strings.Cut(f[0], "=")
	if !ok || !MetricName(name) {
		return m, fmt.Errorf("%q is no metric's name and value", f[0])
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return m, fmt.Errorf("the value %q of metric %s is no finite number", text, name)
	}
	m = Printed{Name: name, Samples: []float64{v}}
	if len(f) == 2 {
		m.Unit = f[1]
	}
	return m, nil
}
