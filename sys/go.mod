module ex.com/s

go 1.26
