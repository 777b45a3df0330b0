// Minify makes pages with styles and scripts smaller with tdewolff/minify.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
)

const page = `<!DOCTYPE html>
<html>
  <head>
    <meta charset="utf-8">
    <title>Page %d</title>
    <style>
      body { margin: 0px 0px 0px 0px; color: #ff0000; font-weight: bold; }
      .row%d > a:hover { background-color: rgba(0, 0, 0, 0.5); transition: all 0.30s ease-in-out; }
      @media (max-width: 600px) { .row%d { display: none; } }
    </style>
    <script type="text/javascript">
      function compute(first, second) {
        var result = first + second * %d;
        if (result > 100) { return result; } else { return undefined; }
      }
      window.addEventListener("load", function (event) { console.log(compute(1, 2), event); });
    </script>
  </head>
  <body>
    <!-- a comment that goes away -->
    <div   class="row row%d"   id="row">
      <a href="https://example.com/page/%d" target="_blank">A  link   with  spaces</a>
      <p> A paragraph <b>with</b> <i>inline</i> elements. </p>
      <input type="text" disabled="disabled" value="">
    </div>
  </body>
</html>
`

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	m := minify.New()
	m.AddFunc("text/css", css.Minify)
	m.AddFunc("text/html", html.Minify)
	m.AddFunc("text/javascript", js.Minify)
	h, size := fnv.New64a(), 0
	for i := range n {
		out, err := m.String("text/html", strings.Repeat(fmt.Sprintf(page, i, i, i, i, i, i), 1+i%4))
		if err != nil {
			panic(err)
		}
		h.Write([]byte(out))
		size += len(out)
	}
	fmt.Printf("%d bytes, %x\n", size, h.Sum64())
}
