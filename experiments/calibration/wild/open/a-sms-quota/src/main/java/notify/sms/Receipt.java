package notify.sms;

record Receipt(String to, String state) {}
