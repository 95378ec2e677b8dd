package print.jobs;

/** Where jobs are put and replies come from. */
interface Queue {
    /** Hands a job over and returns its reply, or null if there is none in time. */
    String ask(String id) throws Exception;
}
