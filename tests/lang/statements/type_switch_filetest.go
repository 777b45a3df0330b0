//go:build ignore

package main

import "fmt"

func kind(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int:
		return fmt.Sprint("int ", v+1)
	case float64, float32:
		return fmt.Sprintf("float %T %v", v, v)
	case func(int) float64:
		return "func"
	case bool, string:
		return fmt.Sprint("bool or string ", v)
	case error:
		return "error " + v.Error()
	case []int:
		return fmt.Sprint("slice ", len(v))
	default:
		return fmt.Sprintf("other %T", v)
	}
}

func main() {
	for _, x := range []any{nil, 1, 2.5, float32(1), func(int) float64 { return 0 }, true, "s", fmt.Errorf("e"), []int{1}, [1]int{}, struct{}{}} {
		fmt.Println(kind(x))
	}
}

// Output:
// nil
// int 2
// float float64 2.5
// float float32 1
// func
// bool or string true
// bool or string s
// error e
// slice 1
// other [1]int
// other struct {}
