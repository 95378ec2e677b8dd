package notify.sms;

record Message(String to, String text) {}
