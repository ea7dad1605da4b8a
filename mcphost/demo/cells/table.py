waits.groupby("counter")["minutes"].describe().round(1)
