package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

func main() {
	s, err := structpb.NewStruct(map[string]any{"a": 1.5, "b": []any{"x"}})
	if err != nil {
		panic(err)
	}
	b, err := proto.Marshal(s.Fields["b"])
	fmt.Printf("%q %v\n", b, err)
}
