module github.com/gyrvm/gyr

go 1.26

require golang.org/x/tools v0.52.0
