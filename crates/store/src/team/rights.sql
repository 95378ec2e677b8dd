-- Whoever may use the runs may use this table in the same way.
DO $$
DECLARE
    allowed RECORD;
BEGIN
    FOR allowed IN
        SELECT privilege_type, CASE grantee WHEN 'PUBLIC' THEN grantee ELSE quote_ident(grantee) END AS grantee
        FROM information_schema.table_privileges
        WHERE table_schema = 'prony' AND table_name = 'run' AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
            AND grantee <> current_user
    LOOP
        EXECUTE format('GRANT %s ON prony.{table} TO %s', allowed.privilege_type, allowed.grantee);
    END LOOP;
END
$$;
