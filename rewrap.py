import sys,re,textwrap
W=110
def process(path):
    lines=open(path).read().split('\n'); out=[]; i=0; changed=False
    while i<len(lines):
        m=re.match(r'^(\s*)/\* (?! )(.*)$',lines[i])
        if not m: out.append(lines[i]); i+=1; continue
        ind=m.group(1); j=i
        while '*/' not in lines[j]: j+=1
        block=lines[i:j+1]
        if lines[j].rstrip().endswith('*/')==False or not any(len(l)>W for l in block) or '----' in lines[i]:
            out+=block; i=j+1; continue
        # strip
        body=[]
        for k,l in enumerate(block):
            t=l[len(ind):]
            t=t[2:] if k==0 else re.sub(r'^ \*','',t)
            body.append(t)
        body[-1]=re.sub(r' ?\*/$','',body[-1])
        # paragraphs of prose: lines beginning with exactly one space
        paras=[]; cur=[]
        for t in body:
            if re.match(r'^ [^ ]',t): cur.append(t.strip())
            else:
                if cur: paras.append(('p',cur)); cur=[]
                paras.append(('r',t))
        if cur: paras.append(('p',cur))
        res=[]
        for k,(kind,c) in enumerate(paras):
            if kind=='r': res.append(ind+(' *'+c if res else '/*'+c)); continue
            if all(len(ind)+3+len(x)<=W-(3 if k==len(paras)-1 and x is c[-1] else 0) for x in c):
                w=c
            else:
                last=k==len(paras)-1
                text=' '.join(c)
                if last: text=text+'\u00a0*/'
                w=textwrap.wrap(text,W-len(ind)-3,break_long_words=False,break_on_hyphens=False)
                w=[x.replace('\u00a0',' ') for x in w]
                if last: w[-1]=re.sub(r' \*/$','',w[-1])
            for x in w: res.append(ind+(' * '+x if res else '/* '+x))
        res[-1]+=' */'
        out+=res; changed=changed or res!=block; i=j+1
    if changed: open(path,'w').write('\n'.join(out))
for p in sys.argv[1:]: process(p)
