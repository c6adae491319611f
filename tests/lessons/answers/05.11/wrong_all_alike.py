"""One word for all."""

names = """late flights,speed,only three carriers,upper case,total distance,mean delay by origin,ten longest delays,\
sort by delay,join each plane's flights,apply per plane"""
moves = dict.fromkeys(names.split(","), "tree")
