# Each call of curl is sent by curl itself for calls.sent.json.
BASE=http://127.0.0.1:8080
curl -s $BASE/a -H 'If-None-Match: "v17"' -H 'Host: tenant-a.example.com' -H 'Origin: http://shop.example.com' -H 'Referer: http://shop.example.com/'
curl -s $BASE/b -H 'Cache-Control: no-cache' -H 'Pragma: no-cache' -H 'User-Agent: mine' -H 'Accept-Encoding: gzip' -H 'Accept-Language: de' -H 'DNT: 1'
curl -s $BASE/c -H 'Connection: close' -H 'X-Empty;' -H 'X-Two: 1' -H 'X-Two: 2' -H 'x-lower: a' -H 'If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT' -H 'TE: trailers'
curl -s $BASE/d -H 'Expect: 100-continue' -H 'Upgrade-Insecure-Requests: 1' -H 'Priority: u=1' -H 'Sec-Fetch-Mode: cors' -d 'a=1&b=x y'
curl -s -d 'q=ä & b' --data-urlencode 'c=d e/f' --data-urlencode '=g' "$BASE/e"
curl -s -d a=1 -d b=2 -d a=3 $BASE/f
curl -s -H 'Content-Type: application/json' -d '{"a": "${b}", "c": "it'"'"'s"}' $BASE/g
curl -s --json '{"a":1}' $BASE/h
curl -s -H 'Content-Type:' -d 'a=1' $BASE/i
curl -s -d @lines.txt $BASE/j
curl -s --data-binary @lines.txt -H 'Content-Type: text/plain' $BASE/k
curl -s -X POST -T item.json $BASE/l/
curl -s -T item.json $BASE/m
curl -s -G -d a=1 --data-urlencode 'b=x y' "$BASE/n?z=0#part"
curl -s -F title=cat -F 'meta={"a":1};type=application/json' -F 'file=@item.json;type=application/json' -F 'list=@lines.txt;filename=l.txt' $BASE/o
curl -s "$BASE/p;jsessionid=17/../q/./r?x=%20%C3%A9&y=a+b"
curl -s -b 'a=1' -b 'b=2' $BASE/s
curl -s -u 'anna:p:w' $BASE/t
curl -s -H 'Authorization: bearer lower' $BASE/u
curl -s http://bob:pw%21@127.0.0.1:8080/v
curl -s -I $BASE/w
curl -s -X DELETE -e http://r/ -A me -r 9 $BASE/x
curl -s -X GET -d '{}' $BASE/y
curl -s -d '' $BASE/z
curl -s --data-raw $'--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--X--\r\n' -H 'Content-Type: multipart/form-data; boundary=X' $BASE/multi
curl -s -d @- $BASE/here <<EOF
{"base": "$BASE",
 "b": "\"c\""}
EOF
TOKEN=$(curl -s $BASE/token | jq -r .token)
sleep 0.1
curl -s -H "Authorization: Bearer $TOKEN" $BASE/me $BASE/you
