create table if not exists orders (id integer primary key, cents bigint not null);
create table if not exists payments (id bigserial primary key, order_id integer not null, receipt text not null);
insert into orders select n, 1000 + n from generate_series(0, 4999) n on conflict do nothing;
