module example.com/twins

go 1.26
