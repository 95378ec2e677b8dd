//! What work the methods of a stack do on the CPU: data. Of several rules that fit methods of one stack, the one whose kind comes
//! first in [`CpuWork`] counts.

use super::matches;
use record::finding::CpuWork::{
    self, BigNumbers, Collisions, Compression, Copying, Crypto, Exceptions, Formatting, Handshake, Hpack,
    LogLocation, Logging, Lookup, MapperMade, RegexCompile, RegexMatch, Scanning, ScriptCompile,
    Serialisation, Sorting, Texts, Tls,
};

/// Patterns of methods by the work that is done within them.
const WORK: &[(CpuWork, &[&str])] = &[
    (
        LogLocation,
        &[
            "ch.qos.logback.classic.spi.CallerData.*",
            "ch.qos.logback.classic.spi.LoggingEvent.getCallerData",
            "org.apache.logging.log4j.util.StackLocator*",
            "org.apache.logging.log4j.core.impl.Log4jLogEvent.calcLocation",
            "org.apache.log4j.spi.LocationInfo.*",
            "java.util.logging.LogRecord.inferCaller",
            "java.util.logging.LogRecord.getSource*",
            "org.jboss.logmanager.ExtLogRecord.calculateCaller",
        ],
    ),
    (
        ScriptCompile,
        &[
            "groovy.lang.GroovyClassLoader.parseClass",
            "groovy.lang.GroovyShell.parse*",
            "groovyjarjarantlr4.*",
            "groovyjarjarasm.*",
            "org.apache.groovy.parser.*",
            "org.codehaus.groovy.control.*",
            "javax.script.ScriptEngineManager.*",
            "org.mozilla.javascript.Context.compile*",
            "org.openjdk.nashorn.internal.codegen.*",
            "com.oracle.truffle.js.parser.*",
            "org.mvel2.compiler.*",
            "org.springframework.expression.spel.standard.*Parser*",
            "org.apache.commons.jexl3.parser.*",
            "org.apache.el.parser.*",
            "com.jayway.jsonpath.internal.path.PathCompiler.*",
            "freemarker.core.FMParser*",
            "freemarker.template.Template.<init>",
            "org.apache.velocity.runtime.parser.*",
            "org.thymeleaf.templateparser.*",
            "com.github.mustachejava.MustacheParser.*",
            "net.sf.jasperreports.engine.JasperCompileManager.*",
            "com.sun.org.apache.xalan.internal.xsltc.compiler.*",
            "org.codehaus.janino.*",
            "org.drools.compiler.*",
            "org.eclipse.jdt.internal.compiler.*",
            "com.sun.tools.javac.*",
        ],
    ),
    (
        Exceptions,
        &[
            "java.lang.Throwable.*",
            "java.lang.StackTraceElement.*",
            "java.lang.Exception.<init>",
            "java.lang.StackWalker*",
        ],
    ),
    (
        RegexCompile,
        &[
            "java.util.regex.Pattern.compile",
            "java.util.regex.Pattern.<init>",
            "com.google.re2j.Pattern.compile",
        ],
    ),
    (
        MapperMade,
        &[
            "com.fasterxml.jackson.databind.ObjectMapper.<init>",
            "com.fasterxml.jackson.databind.introspect.*",
            "com.fasterxml.jackson.databind.ser.BeanSerializerFactory.*",
            "com.fasterxml.jackson.databind.ser.BasicSerializerFactory.*",
            "com.fasterxml.jackson.databind.deser.BeanDeserializerFactory.*",
            "com.fasterxml.jackson.databind.deser.DeserializerCache.*",
            "com.fasterxml.jackson.databind.SerializerProvider._create*",
            "com.fasterxml.jackson.databind.type.TypeFactory.*",
            "com.fasterxml.jackson.databind.util.ClassUtil.*",
            "tools.jackson.databind.introspect.*",
            "tools.jackson.databind.ser.BeanSerializerFactory.*",
            "tools.jackson.databind.deser.BeanDeserializerFactory.*",
            "com.google.gson.Gson.<init>",
            "com.google.gson.GsonBuilder.*",
            "com.google.gson.internal.bind.ReflectiveTypeAdapterFactory.*",
            "javax.xml.bind.JAXBContext.newInstance",
            "jakarta.xml.bind.JAXBContext.newInstance",
            "javax.xml.parsers.DocumentBuilderFactory.newInstance",
            "javax.xml.parsers.SAXParserFactory.newInstance",
            "javax.xml.transform.TransformerFactory.newInstance",
            "javax.xml.stream.XMLInputFactory.new*",
            "javax.xml.stream.XMLOutputFactory.new*",
            "javax.xml.validation.SchemaFactory.*",
            "org.modelmapper.ModelMapper.<init>",
            "org.yaml.snakeyaml.Yaml.<init>",
        ],
    ),
    (
        Lookup,
        &[
            "java.lang.Class.getMethod*",
            "java.lang.Class.getField*",
            "java.lang.Class.getConstructor*",
            "java.lang.Class.getDeclared*",
            "java.lang.Class.privateGet*",
            "java.lang.Class.getAnnotation*",
            "java.lang.Class.forName*",
            "java.lang.reflect.Method.copy",
            "java.lang.reflect.Proxy.newProxyInstance",
            "java.lang.ClassLoader.loadClass",
            "java.lang.invoke.MethodHandles$Lookup.*",
            "java.beans.Introspector.*",
            "java.util.ServiceLoader*",
            "java.util.ResourceBundle.getBundle*",
            "sun.reflect.annotation.*",
            "javax.naming.InitialContext.*",
        ],
    ),
    (
        Handshake,
        &[
            "sun.security.ssl.HandshakeContext.*",
            "sun.security.ssl.SSLHandshake.*",
            "sun.security.ssl.TransportContext.kickstart",
            "sun.security.ssl.SSLContextImpl*",
            "sun.security.ssl.SSLEngineImpl$DelegatedTask*",
            "sun.security.x509.*",
            "sun.security.provider.certpath.*",
            "java.security.KeyStore.*",
        ],
    ),
    (
        Tls,
        &[
            "sun.security.ssl.*",
            "javax.net.ssl.*",
            "org.apache.tomcat.util.net.SecureNio*",
            "io.netty.handler.ssl.*",
        ],
    ),
    (
        Hpack,
        &[
            "org.apache.coyote.http2.Hpack*",
            "org.apache.coyote.http2.HPackHuffman.*",
            "org.eclipse.jetty.http2.hpack.*",
            "io.undertow.protocols.http2.Hpack*",
            "io.undertow.protocols.http2.HPackHuffman.*",
            "io.netty.handler.codec.http2.Hpack*",
            "io.helidon.http.http2.Http2Headers*",
            "io.helidon.http.http2.Http2Huffman*",
        ],
    ),
    (
        Compression,
        &[
            "java.util.zip.*",
            "com.github.luben.zstd.*",
            "com.aayushatharva.brotli4j.*",
            "org.xerial.snappy.*",
            "net.jpountz.*",
        ],
    ),
    (
        Crypto,
        &[
            "java.security.MessageDigest*",
            "java.security.Signature*",
            "java.security.SecureRandom*",
            "java.security.Key*",
            "javax.crypto.*",
            "sun.security.*",
            "com.sun.crypto.provider.*",
            "org.bouncycastle.*",
            "org.springframework.security.crypto.*",
            "org.mindrot.jbcrypt.*",
            "at.favre.lib.crypto.*",
            "java.util.UUID.randomUUID",
        ],
    ),
    (
        Logging,
        &[
            "ch.qos.logback.*",
            "org.apache.logging.log4j.*",
            "org.apache.log4j.*",
            "org.apache.juli.*",
            "java.util.logging.*",
            "org.slf4j.*",
            "org.tinylog.*",
            "org.jboss.logmanager.*",
            "org.apache.catalina.valves.AbstractAccessLogValve*",
        ],
    ),
    (
        Serialisation,
        &[
            "com.fasterxml.jackson.*",
            "tools.jackson.*",
            "com.google.gson.*",
            "com.google.protobuf.*",
            "com.alibaba.fastjson*",
            "com.esotericsoftware.kryo.*",
            "org.json.*",
            "org.yaml.snakeyaml.*",
            "org.glassfish.jaxb.*",
            "com.sun.xml.bind.*",
            "com.sun.org.apache.*",
            "javax.xml.*",
            "java.io.ObjectOutputStream.*",
            "java.io.ObjectInputStream.*",
        ],
    ),
    (RegexMatch, &["java.util.regex.*", "com.google.re2j.*"]),
    (
        Formatting,
        &[
            "java.lang.String.format",
            "java.lang.String.formatted",
            "java.util.Formatter*",
            "java.text.*",
            "java.time.format.*",
            "java.util.GregorianCalendar.*",
            "jdk.internal.math.*",
            "sun.util.locale.*",
        ],
    ),
    (BigNumbers, &["java.math.*"]),
    (
        Sorting,
        &[
            "java.util.TimSort.*",
            "java.util.ComparableTimSort.*",
            "java.util.Arrays.sort",
            "java.util.DualPivotQuicksort.*",
            "java.util.Collections.sort",
            "java.util.ArrayList.sort",
        ],
    ),
    (Collisions, &["java.util.HashMap$TreeNode.*", "java.util.concurrent.ConcurrentHashMap$Tree*"]),
    (
        Scanning,
        &[
            "java.util.ArrayList.indexOf*",
            "java.util.ArrayList.contains",
            "java.util.ArrayList.remove",
            "java.util.ArrayList$Itr.*",
            "java.util.ArrayList.forEach",
            "java.util.LinkedList.*",
            "java.util.LinkedList$*",
            "java.util.AbstractCollection.contains*",
            "java.util.Collections.frequency",
            "java.util.ImmutableCollections$*",
            "java.util.concurrent.CopyOnWriteArrayList.indexOf*",
            "java.util.concurrent.CopyOnWriteArrayList.contains",
            "java.util.concurrent.CopyOnWriteArraySet.contains",
            "java.util.stream.*",
            "java.util.Spliterators*",
        ],
    ),
    (
        Copying,
        &[
            "java.util.Arrays.copyOf*",
            "java.lang.System.arraycopy",
            "java.io.ByteArrayOutputStream.*",
            "java.nio.ByteBuffer.*",
            "java.nio.HeapByteBuffer.*",
            "java.nio.DirectByteBuffer.*",
            "java.lang.Object.clone",
            "java.util.ArrayList.grow",
            "java.util.concurrent.CopyOnWriteArrayList.*",
            "java.util.concurrent.CopyOnWriteArraySet.*",
            "java.io.InputStream.readAllBytes",
            "java.util.Base64*",
        ],
    ),
    (
        Texts,
        &[
            "java.lang.String.*",
            "java.lang.StringLatin1.*",
            "java.lang.StringUTF16.*",
            "java.lang.StringCoding.*",
            "java.lang.AbstractStringBuilder.*",
            "java.lang.StringBuilder.*",
            "java.lang.StringBuffer.*",
            "java.lang.StringConcatHelper.*",
            "java.util.StringJoiner.*",
            "java.util.StringTokenizer.*",
            "java.util.Scanner.*",
            "org.apache.commons.lang*",
        ],
    ),
];

/// The work that the innermost methods of a stack do; `None` where no rule knows any of them.
pub(in super::super) fn work_of<'a>(methods: impl IntoIterator<Item = &'a str>) -> Option<CpuWork> {
    methods.into_iter().filter_map(work_in).min()
}

/// The work that is done within a method.
fn work_in(method: &str) -> Option<CpuWork> {
    let fits = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, method));
    WORK.iter().find(|(_, patterns)| fits(patterns)).map(|(work, _)| *work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_that_can_be_spared_counts_before_the_one_that_it_consists_of() {
        let compiled =
            ["java.util.regex.Pattern.atom", "java.util.regex.Pattern.compile", "java.lang.String.matches"];
        assert_eq!(work_of(compiled), Some(RegexCompile));
        let matched = [
            "java.util.regex.Pattern$Loop.match",
            "java.util.regex.Matcher.matches",
            "java.lang.String.matches",
        ];
        assert_eq!(work_of(matched), Some(RegexMatch));
        let located =
            ["java.lang.Throwable.fillInStackTrace", "ch.qos.logback.classic.spi.LoggingEvent.getCallerData"];
        assert_eq!(work_of(located), Some(LogLocation));
        let made = [
            "java.util.HashMap.put",
            "com.fasterxml.jackson.databind.introspect.AnnotatedFieldCollector.collect",
        ];
        assert_eq!(work_of(made), Some(MapperMade));
        assert_eq!(
            work_of(["com.fasterxml.jackson.databind.ser.BeanSerializer.serialize"]),
            Some(Serialisation)
        );
        let scripted =
            ["java.lang.Class.getDeclaredMethods0", "org.codehaus.groovy.control.CompilationUnit.compile"];
        assert_eq!(work_of(scripted), Some(ScriptCompile));
        assert_eq!(work_of(["java.util.HashMap.get"]), None);
        assert_eq!(work_of([]), None);
    }

    #[test]
    fn every_kind_of_work_has_rules_and_no_pattern_is_there_twice() {
        let kinds: Vec<CpuWork> = WORK.iter().map(|(work, _)| *work).collect();
        assert!(
            kinds.iter().all(|work| kinds.iter().filter(|other| *other == work).count() == 1),
            "{kinds:?}"
        );
        let mut patterns: Vec<&str> = WORK.iter().flat_map(|(_, patterns)| *patterns).copied().collect();
        let all = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!((patterns.len(), kinds.len()), (all, 21));
    }
}
