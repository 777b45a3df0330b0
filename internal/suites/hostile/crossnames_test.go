package hostile

import "time"

// Types of values that cross. TestCrossing gives this file to the host package that it declares, too.

type (
	// A Node is a tree, or a graph without an end in breadth.
	Node struct {
		Next, Other *Node
		Names       map[string]Node
		X           any
		T           time.Time
	}

	Forest []Forest

	T0  struct{}
	T1  struct{ A, B T0 }
	T2  struct{ A, B T1 }
	T3  struct{ A, B T2 }
	T4  struct{ A, B T3 }
	T5  struct{ A, B T4 }
	T6  struct{ A, B T5 }
	T7  struct{ A, B T6 }
	T8  struct{ A, B T7 }
	T9  struct{ A, B T8 }
	T10 struct{ A, B T9 }
	T11 struct{ A, B T10 }
	T12 struct{ A, B T11 }
	T13 struct{ A, B T12 }
	T14 struct{ A, B T13 }
	T15 struct{ A, B T14 }
	T16 struct{ A, B T15 }
)
