// Markdown renders a document of headings, lists, tables, code and links with goldmark.
package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

const section = `# Heading %d

A paragraph with *emphasis*, **strong words**, ` + "`code`" + `, a [link](https://example.com/%d "title")
and an auto link https://example.com/path?q=%d, which goes on &mdash; with entities and a hard break\
before the last line.

- first item %d
- second item
  - nested item with ` + "`x := %d`" + `
  - [x] done

1. one
2. two

| name | value | share |
|:-----|:-----:|------:|
| a    | %d    | 1.5   |
| b    | ~~2~~ | 2.5   |

> A quotation
> of two lines.

` + "```go\nfunc f(n int) int { return n * %d }\n```" + `

`

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for part := 0; part < n; part += 100 {
		var src strings.Builder
		for i := part; i < min(n, part+100); i++ {
			fmt.Fprintf(&src, section, i, i, i, i, i, i, i)
		}
		var out bytes.Buffer
		if err := md.Convert([]byte(src.String()), &out); err != nil {
			panic(err)
		}
		h := fnv.New64a()
		h.Write(out.Bytes())
		fmt.Printf("%d bytes, %x\n", out.Len(), h.Sum64())
	}
}
