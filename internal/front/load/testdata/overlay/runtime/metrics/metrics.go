// Package metrics is empty.
package metrics
