package fi.kauppaketju.loyalty;

/** The points of one customer. Bookings of a customer are made one after the other. */
class Account {
    private long points;

    synchronized boolean book(int more, Partner partner) {
        if (!partner.confirms()) {
            return false;
        }
        points += more;
        return true;
    }

    synchronized long points() {
        return points;
    }
}
