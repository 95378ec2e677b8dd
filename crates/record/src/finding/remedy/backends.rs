//! Rows of [`super::Remedy`]: what to change in how other programs are asked.

macro_rules! backends_rows {
    ($($before:tt)*) => { remedies! { $($before)*
        /// Do not let Redis go through all of its keys.
        #[say(
            en = "do not ask for `KEYS` in a request: Redis goes through all of its keys for it, in its only thread, and every other client waits; \
                  keep a set of what is asked for (`SADD`, `SCARD`), or `SCAN` beside the requests",
            zh = "不要在请求中使用 `KEYS`：Redis 要在唯一的线程中遍历所有键，其他客户端都得等待；请用集合保存要查询的内容（`SADD`、`SCARD`），\
                  或在请求之外使用 `SCAN`"
        )]
        AvoidKeys,
        /// Send each question in one piece.
        #[say(
            en = "40 ms is how long the other side may wait with its acknowledgement: a client that writes a question in two small pieces has to wait \
                  for it before the second one (Nagle's algorithm); write it in one piece, or set TCP_NODELAY; only if that is not it, make the \
                  service faster",
            zh = "40 ms 正是对方可能延迟确认的时间：客户端若分两小段写出请求，第二段要等到前一段被确认（Nagle 算法）；请一次写出，或设置 \
                  TCP_NODELAY；若不是这个原因，再去加快该服务"
        )]
        WriteAtOnce,
        /// Change nothing: a service that answers quickly takes its time all the same.
        #[say(
            en = "nothing is wrong: so quick a service takes its time, and more users at the same time get more answers",
            zh = "没有问题：响应这么快的服务也需要时间，同时的用户更多，得到的应答就更多"
        )]
        AcceptAnswers,
        /// Ask the service behind the server less often, or make it faster.
        #[say(
            en = "make that service faster, ask it less often (a cache, several keys at once), or send it more requests at the same time",
            zh = "提高该服务的速度、减少对它的请求（缓存、一次取多个键），或提高对它的并发请求数"
        )]
        RelieveBackend,
        /// Ask another program for many things at once.
        #[say(
            en = "{store}{at_most?; without these round trips there would be at most {:.1} times as many requests}",
            zh = "{store}{at_most?；若没有这些往返，吞吐量最多为现在的 {:.1} 倍}"
        )]
        AskTogether {
            /// What it is.
            store: Store,
            /// The most by which throughput would grow, as a factor (Amdahl's law); absent where requests do nothing else.
            at_most: Option<f64>,
        },
        /// Ask other programs at the same time.
        #[say(
            en = "ask side by side what does not depend on one another (`CompletableFuture`, structured concurrency): then the slowest answer \
                  counts, and not the sum; or ask less often (a cache, several keys at once)",
            zh = "并行发出互不依赖的调用（`CompletableFuture`、结构化并发）：这样只计最慢的应答，而不是总和；或减少请求（缓存、一次取多个键）"
        )]
        AskSideBySide,
        /// Keep the addresses of names.
        #[say(
            en = "keep its connections open, or the addresses that were found: the JVM does so for 30 s, but not with \
                  `networkaddress.cache.ttl=0`, and names that do not exist for 10 s; let the resolver be near (a local cache), and end full names \
                  with a dot where search domains are tried first (`ndots`)",
            zh = "保持连接，或缓存解析到的地址：JVM 默认缓存 30 s，但设置 `networkaddress.cache.ttl=0` \
                  时不缓存，不存在的主机名只缓存 10 s；就近使用解析器（本地缓存），若先尝试搜索域（`ndots`），完整域名请以点结尾"
        )]
        KeepAddresses,
        /// Keep the connections to another program.
        #[say(
            en = "{pool?let {} keep as many idle connections as are used at a time{idle?: `{}` as large as the pool|, and for longer than users pause}; what it gets back beyond that it closes, and the next request has to open it again|{is_sql?take connections from a pool (HikariCP, DBCP) and give them back|make the client once, not for each call, and let it keep its connections: no \
                  `Connection: close`, answers read to their end, enough idle connections{tls?, sessions of TLS that are resumed}}}",
            zh = "{pool?让 {} 保留的空闲连接与同时使用的一样多{idle?：将 `{}` 设为与池一样大|，且保留得比用户的停顿更久}；超出的连接一归还就被关闭，\
                  下一个请求又得重新建立|{is_sql?从连接池（HikariCP、DBCP）获取连接并归还|只创建一次客户端，而不是每次调用都创建，并让它保持连接：\
                  不使用 `Connection: close`，把应答读完，保留足够的空闲连接{tls?，恢复 TLS 会话}}}",
            is_sql = *store == Store::Sql,
            idle = pool.as_deref().and_then(idle_setting)
        )]
        KeepBackendConnections {
            /// What the connections go to.
            store: Store,
            /// Whether each begins with a TLS handshake.
            tls: bool,
            /// The library of a pool that closes what it gets back; absent where none does.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pool: Option<String>,
        },
        /// Find out why a pool closes its connections.
        #[say(
            en = "find out why {product} closes its connections: an age or an idle time that is too short (`maxLifetime`, `idleTimeout`), fewer idle \
                  ones than are used at a time, a test that fails, an exception after which it throws one away, or a server or proxy that ends them; a \
                  larger pool would only open more",
            zh = "查明 {product} 为何关闭连接：寿命或空闲时间过短（`maxLifetime`、`idleTimeout`）、保留的空闲连接少于同时使用的数量、检测失败、异常之后被\
                  丢弃，或被服务器或代理断开；更大的池只会打开更多连接"
        )]
        FindWhyPoolCloses {
            /// The library of the pool.
            product: String,
        },
        /// Let one request compute what many want.
        #[say(
            en = "let one of them compute it while the others wait for that one or take the old value: a cache that loads once for a key (`LoadingCache`, `computeIfAbsent`, `@Cacheable(sync = true)`), or a refresh ahead of its end (`refreshAfterWrite`)",
            zh = "只让其中一个去计算，其他的等待它的结果或使用旧值：每个键只加载一次的缓存（`LoadingCache`、`computeIfAbsent`、`@Cacheable(sync = true)`），或在到期之前刷新（`refreshAfterWrite`）"
        )]
        ComputeOnce,
        /// Repeat fewer calls, and later.
        #[say(
            en = "repeat less and later: wait longer after each refusal, by a random part (and as long as `Retry-After` says), repeat only a small share of all calls (a budget, a circuit breaker), and have no more calls in flight than it takes",
            zh = "少重试、晚重试：每次被拒后等待更久并加入随机量（若有 `Retry-After` 则照做），只允许小部分调用重试（重试预算、熔断器），且同时在途的调用不超过它能接受的数量"
        )]
        RetryLess,
        /// Find out how a database executes a statement.
        #[say(
            en = "look at its plan (`EXPLAIN (ANALYZE, BUFFERS)`): {table?an index of `{}` for what it asks for|an index, fewer rows, fresh \
                  statistics (`ANALYZE`)}; or ask it less often",
            zh = "查看它的执行计划（`EXPLAIN (ANALYZE, BUFFERS)`）：{table?为 `{}` 的查询条件建立索引|建立索引、减少行数、更新统计信息（`ANALYZE`）}；或减少执行次数"
        )]
        ExplainStatement {
            /// The table that is read without an index.
            table: Option<String>,
        },
        /// Begin a page of rows where the last one ended.
        #[say(
            en = "page by key: `where (…) < (?, …) order by … limit ?` begins where the last page ended, and an index leads there; `OFFSET` reads and \
                  throws away all rows before the page",
            zh = "按键分页：`where (…) < (?, …) order by … limit ?` 从上一页结束处开始，索引可直接定位；`OFFSET` 会读取并丢弃该页之前的所有行"
        )]
        PageByKey,
        /// Hold locks of a database for less time.
        #[say(
            en = "end the transaction sooner: change what all share last, and do nothing else between that and the commit; or let each change a \
                  row of its own (an append, a sum over several counters)",
            zh = "尽早结束事务：最后才修改共享的行，并且在修改与提交之间不做别的事；或让每个请求修改各自的行（追加、多个计数器求和）"
        )]
        EndTransactionSooner,
        /// Let the client of the application do its work.
        #[say(
            en = "give the client threads enough (its executor), do nothing slow in its callbacks, and share one client instead of many",
            zh = "为该客户端提供足够的线程（其执行器），不要在其回调中做耗时的工作，并共用一个客户端，而不是创建多个"
        )]
        FreeClient,
    } };
}
pub(super) use backends_rows;
