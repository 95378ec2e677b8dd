# As people type them.
curl http://localhost:8080/
curl -sS -L "http://localhost:8080/items?page=1&size=20" | jq .
curl -X POST -H "Content-Type: application/json" -d '{"name": "it'"'"'s", "price": 1.5}' http://localhost:8080/items
curl --data-urlencode "q=a & b" --data-urlencode comment="x y" -G http://localhost:8080/search
curl -u anna:secret -X DELETE http://localhost:8080/items/7
curl -F title=cat -F "photo=@cat.png;type=image/png" http://localhost:8080/photos
curl -H "Authorization: Bearer $TOKEN" -o /dev/null -w '%{http_code}\n' "http://localhost:8080/me"; curl -I http://localhost:8080/health
curl --json '{"a": "${b}"}' -m 2.5 http://localhost:8080/json && curl -T report.csv http://localhost:8080/upload

# As Chrome copies one (Copy as cURL).
curl 'http://localhost:8080/api/orders' \
  -H 'Accept: */*' \
  -H 'Accept-Language: en-GB,en;q=0.9' \
  -H 'Connection: keep-alive' \
  -H 'Content-Type: application/json' \
  -b 'JSESSIONID=4F1C; theme=dark' \
  -H 'Origin: http://localhost:8080' \
  -H 'Referer: http://localhost:8080/shop' \
  -H 'Sec-Fetch-Mode: cors' \
  -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)' \
  -H 'X-XSRF-TOKEN: 8c1d' \
  --data-raw $'{"note":"it\'s \u0021","n":null}' \
  --compressed

# As Firefox copies one.
curl 'http://localhost:8080/login' --compressed -X POST -H 'User-Agent: Mozilla/5.0' -H 'Accept: text/html' -H 'Content-Type: application/x-www-form-urlencoded' -H 'Sec-Fetch-Dest: document' --data-raw 'user=anna&password=s3cret%21'
