order = "d,h,i,a,f,b,g,c,e"
