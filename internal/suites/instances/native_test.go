package instances

import "encoding/json"

// handle is the library's handler in native Go.
func handle(body []byte) ([]byte, error) {
	var r struct {
		User  string `json:"user"`
		Items []struct {
			Name  string  `json:"name"`
			Count int     `json:"count"`
			Price float64 `json:"price"`
		} `json:"items"`
		Tags map[string]string `json:"tags"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	type reply struct {
		User  string  `json:"user"`
		Total float64 `json:"total"`
		Lines int     `json:"lines"`
	}
	x := reply{User: r.User, Lines: len(r.Items)}
	for _, it := range r.Items {
		x.Total += float64(it.Count) * it.Price
	}
	return json.Marshal(x)
}
