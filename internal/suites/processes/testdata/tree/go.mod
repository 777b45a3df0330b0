module tree

go 1.26
