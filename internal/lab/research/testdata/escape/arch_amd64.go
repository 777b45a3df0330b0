package main

const isAMD64 = true
