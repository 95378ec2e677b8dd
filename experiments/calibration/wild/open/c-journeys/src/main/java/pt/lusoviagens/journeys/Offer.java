package pt.lusoviagens.journeys;

record Offer(String supplier, double price) {
}
