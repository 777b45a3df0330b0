module example.com/bloop

go 1.26
