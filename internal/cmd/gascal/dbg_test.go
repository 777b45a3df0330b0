package main
import ("testing";"runtime";"github.com/gyrvm/gyr";"time")
func TestDbg(t *testing.T){ runtime.LockOSThread(); mt,err:=newMeter(gyr.TierInterp); if err!=nil{t.Fatal(err)}
 t.Log(mt.plainN)
 for range 5 { w:=time.Now(); ns,u,err:=mt.beside.call("Plain",mt.plainN); t.Log(ns,u,err, time.Since(w)) } }
