$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0"
$session.Cookies.Add((New-Object System.Net.Cookie("sid", "4F1C", "/", "127.0.0.1")))
Invoke-WebRequest -UseBasicParsing -Uri "http://127.0.0.1:8080/a" `
-Method "POST" `
-WebSession $session `
-Headers @{
"Origin"="http://o"
  "If-None-Match"="`"v`""
} `
-ContentType "application/json" `
-Body "{`"a`":1}"
