curl ^"http://127.0.0.1:8080/a?x=1^&y=2^" ^
  -H ^"Origin: http://o^" ^
  -H ^"Content-Type: application/json^" ^
  --data-raw ^"^{^\^"a^\^":^\^"50^%^\^"^}^"
curl -X DELETE "http://127.0.0.1:8080/b" -H "If-Match: \"v\""
